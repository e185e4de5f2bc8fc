! Contained procedures, whose variables are in frames further out.
module stack_mod
  implicit none
  integer :: depth_total = 0
contains
  recursive subroutine host(level, n)
    integer, intent(in) :: level, n
    integer :: own, auto(n)
    real :: table(2,3)
    character(len=n) :: name
    own = level * 10
    auto = level
    table = level
    name = repeat(achar(64 + level), n)
    if (level < 3) then
      call host(level + 1, n + 1)
      call inner(level)
    else
      call inner(7)
    end if
  contains
    subroutine inner(k)
      integer, intent(in) :: k
      integer :: mine
      mine = own + k + auto(1) + int(table(1,1)) + len(name)
      depth_total = depth_total + mine
      call stop_here(mine)
      own = own + 1
    end subroutine inner
  end subroutine host
end module
subroutine stop_here(x)
  integer, intent(in) :: x
  print *, x
end subroutine
program hosts
  use stack_mod
  call host(1, 4)
  print *, depth_total
end program
