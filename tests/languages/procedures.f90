! Results of functions, and an array that changes.
module funcs
  implicit none
  type :: pt
    real(8) :: x, y
  end type
  type :: big
    integer :: a(10)
  end type
  integer :: counter = 0
contains
  integer function fi(n)
    integer, intent(in) :: n
    fi = n * 2
  end function
  real function fr(x)
    real, intent(in) :: x
    fr = x / 4
  end function
  real(8) function fd(x)
    real(8), intent(in) :: x
    fd = x + 0.5d0
  end function
  complex function fc(x)
    real, intent(in) :: x
    fc = cmplx(x, -x)
  end function
  complex(8) function fz(x)
    real, intent(in) :: x
    fz = cmplx(x, -x, 8)
  end function
  logical function fl(n)
    integer, intent(in) :: n
    fl = n > 2
  end function
  character(len=5) function fs(n)
    integer, intent(in) :: n
    fs = 'abcde'
    if (n > 0) fs(1:1) = 'X'
  end function
  function fa(n)
    integer, intent(in) :: n
    integer :: fa(3)
    fa = n
  end function
  function fall(n) result(r)
    integer, intent(in) :: n
    integer, allocatable :: r(:)
    r = (/ n, n + 1 /)
  end function
  type(pt) function fp(x)
    real(8), intent(in) :: x
    fp%x = x
    fp%y = -x
  end function
  type(big) function fb(n)
    integer, intent(in) :: n
    fb%a = n
  end function
  function fdef(n) result(r)
    integer, intent(in) :: n
    character(len=:), allocatable :: r
    r = repeat('z', n)
  end function
  integer(8) function f8(n)
    integer, intent(in) :: n
    f8 = n * 10000000000_8
  end function
  real(16) function fq(n)
    integer, intent(in) :: n
    fq = n / 3.0_16
  end function
  recursive integer function fact(n) result(r)
    integer, intent(in) :: n
    counter = counter + 1
    r = 1
    if (n > 1) r = n * fact(n - 1)
  end function
end module
program procedures
  use funcs
  implicit none
  integer :: i, arr(4), a3(3)
  type(pt) :: p
  type(big) :: b
  character(len=5) :: s
  integer, allocatable :: al(:)
  character(len=:), allocatable :: d
  arr = 0
  do i = 1, 4
    arr(i) = i * i
    arr(2) = arr(2) + 1
  end do
  print *, fi(3), fr(1.0), fd(1d0), fc(1.0), fz(2.0), fl(3), f8(2), fq(1)
  s = fs(1)
  a3 = fa(2)
  al = fall(5)
  p = fp(1.5d0)
  b = fb(4)
  d = fdef(3)
  print *, fact(4), s, a3, al, p%x, b%a(1), d
end program
