! Values of Fortran, of every kind that ebb shows.
module shapes
    implicit none
    integer, parameter :: wide = selected_int_kind(18)
    integer :: drawn = 7
    real(8) :: scale = 2.5d0
    character(len=6) :: label = 'shapes'
    integer, dimension(3) :: counts = (/ 1, 2, 3 /)
    type :: point
        integer :: x, y
    end type point
    type, extends(point) :: pixel
        character(len=4) :: colour
    end type pixel
    type :: segment
        type(point) :: ends(2)
        real :: weight
        integer, allocatable :: marks(:)
        character(len=:), allocatable :: note
        type(segment), pointer :: next => null()
    end type segment
contains
    subroutine shift(p, by)
        type(point), intent(inout) :: p
        integer, intent(in) :: by
        p%x = p%x + by
        p%y = p%y + by
        drawn = drawn + 1
    end subroutine shift
    integer function total(items)
        integer, intent(in) :: items(:)
        integer :: n
        total = 0
        do n = 1, size(items)
            total = total + items(n)
        end do
    end function total
end module shapes

subroutine stop_here(x)
    implicit none
    integer, intent(in) :: x
    print *, 'stopped', x
end subroutine stop_here

! Arguments of all shapes.
subroutine arguments(explicit, n, assumed, sized, text, mixed, strided)
    use shapes
    implicit none
    integer, intent(in) :: n
    integer, intent(in) :: explicit(n, 2)
    interface
        subroutine stop_here(x)
            integer, intent(in) :: x
        end subroutine
    end interface
    real, intent(in) :: assumed(:, :)
    integer, intent(in) :: sized(*)
    character(len=*), intent(in) :: text
    integer, intent(in) :: mixed(-1:)
    integer, intent(in) :: strided(:)
    integer :: automatic(n)
    automatic = n
    automatic(1) = total(strided) + sized(2) + mixed(0) + len(text) + explicit(1, 1)
    call stop_here(automatic(1) + int(assumed(1, 1)))
end subroutine arguments

! Entries, COMMON and a statement of each kind.
subroutine commons(k)
    implicit none
    integer :: k
    integer :: first, second
    real :: third(3)
    common /block/ first, second, third
    integer :: blank
    common blank
    first = k
    second = 2 * k
    third = (/ 1.5, 2.5, 3.5 /)
    blank = 77
    call stop_here(first)
    return
    entry second_entry(k)
    first = -k
    call stop_here(first)
end subroutine commons

program values
    use shapes
    implicit none
    integer(1) :: int1 = -5_1
    integer(2) :: int2 = 300_2
    integer(4) :: int4 = -70000
    integer(8) :: int8 = 5000000000_8
    integer(16) :: int16 = 170141183460469231731687303715884105727_16
    real(4) :: real4 = 1.5
    real(8) :: real8 = -2.25d0
    real(16) :: real16 = 1.0_16 / 4
    complex(4) :: complex4 = (1.0, -2.0)
    complex(8) :: complex8 = (0.5d0, 3.0d0)
    logical :: yes = .true., no = .false.
    logical(1) :: small = .true.
    logical(8) :: large = .false.
    character :: letter = 'a'
    character(len=12) :: text = 'hello, world'
    character(len=8) :: padded = 'pad'
    character(len=5) :: quoted = 'it''s"'
    character(len=3) :: words(2) = (/ 'one', 'two' /)
    character(len=:), allocatable :: deferred
    character(len=:), allocatable :: nothing
    integer :: vector(5) = (/ 10, 20, 30, 40, 50 /)
    integer :: matrix(2, 3) = reshape((/ 1, 2, 3, 4, 5, 6 /), (/ 2, 3 /))
    integer :: shifted(-2:2) = (/ 1, 2, 3, 4, 5 /)
    integer :: cube(2, 2, 2) = reshape((/ 1, 2, 3, 4, 5, 6, 7, 8 /), (/ 2, 2, 2 /))
    real :: zeros(40) = 0.0
    integer :: long_one(300)
    logical :: flags(3) = (/ .true., .false., .true. /)
    complex :: roots(2) = (/ (1.0, 0.0), (0.0, 1.0) /)
    integer, allocatable :: list(:), grid(:, :), gone(:)
    integer, pointer :: part(:), scalar_pointer, nobody
    real, pointer :: nowhere(:)
    integer, target :: numbers(10) = (/ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 /)
    real :: table(3, 4)
    type(point) :: origin = point(3, -4)
    type(pixel) :: dot
    type(point) :: corners(2) = (/ point(1, 2), point(3, 4) /)
    type(segment), target :: line
    type(segment) :: other
    class(point), allocatable :: any_point
    procedure(stop_here_type), pointer :: action
    abstract interface
        subroutine stop_here_type(x)
            integer, intent(in) :: x
        end subroutine
    end interface
    interface
        subroutine arguments(explicit, n, assumed, sized, text, mixed, strided)
            integer, intent(in) :: n
            integer, intent(in) :: explicit(n, 2)
            real, intent(in) :: assumed(:, :)
            integer, intent(in) :: sized(*)
            character(len=*), intent(in) :: text
            integer, intent(in) :: mixed(-1:)
            integer, intent(in) :: strided(:)
        end subroutine
        subroutine stop_here(x)
            integer, intent(in) :: x
        end subroutine
    end interface
    integer :: n, m

    deferred = 'deferred length'
    allocate (list(3), grid(0:1, 3))
    list = (/ 7, 8, 9 /)
    grid = 5
    grid(1, 2) = 6
    part => numbers(2:8:3)
    scalar_pointer => numbers(4)
    nullify (nobody, nowhere)
    table = reshape((/ (real(n), n = 1, 12) /), (/ 3, 4 /))
    long_one = (/ (n, n = 1, 300) /)
    line%ends(1) = point(1, 1)
    line%ends(2) = point(5, 6)
    line%weight = 0.5
    line%marks = (/ 4, 5 /)
    line%note = 'a note'
    other = line
    line%next => line
    dot%x = 1
    dot%y = 2
    dot%colour = 'blue'
    allocate (pixel :: any_point)
    any_point%x = 8
    any_point%y = 9
    action => stop_here
    m = 3
    call shift(origin, 0)
    call inner(m)
    call commons(4)
    call second_entry(4)
    call action(m)
    print *, int1, int2, int4, int8, int16, real4, real8, real16, complex4, complex8, yes, no, small, large
    print *, letter, text, padded, quoted, words, deferred, vector, matrix, shifted, cube, zeros(1), long_one(1)
    print *, flags, roots, list, grid, part, scalar_pointer, table, origin%x, dot%colour, corners(1)%x, drawn, scale
    print *, label, counts, allocated(gone), associated(nobody), associated(nowhere), allocated(nothing), other%weight
contains
    subroutine inner(k)
        integer, intent(in) :: k
        integer :: local(2)
        local = (/ k, vector(2) /)
        call arguments(reshape(vector(1:4), (/ 2, 2 /)), 2, table(2:3, 1:4:2), vector, text(1:5), shifted, numbers(1:9:4))
        call stop_here(local(1))
    end subroutine inner
end program values
