! Arrays of every shape: ranks, bounds, strides, sections, and what holds them.
module grids
    implicit none
    integer, parameter :: limit = 12
    real(8), parameter :: half = 0.5d0
    integer, allocatable :: shared(:)
    integer, target :: pool(24)
    real(8) :: field(0:2, -1:1) = reshape((/ 1d0, 2d0, 3d0, 4d0, 5d0, 6d0, 7d0, 8d0, 9d0 /), (/ 3, 3 /))
    character(len=:), allocatable :: title
    type :: cell
        integer(2) :: code
        real(8) :: weights(3)
        complex(8) :: phase
        logical :: alive
        character(len=5) :: tag
    end type cell
    type :: mesh
        integer :: size = 2
        type(cell) :: corner(2)
        type(cell), allocatable :: cells(:)
        real, allocatable :: values(:, :)
        integer, pointer :: window(:) => null()
        real(8), allocatable :: single
        class(cell), allocatable :: any_cell
    end type mesh
    type, extends(cell) :: flagged
        integer :: flags(2, 2)
    end type flagged
end module grids

module other_grids
    implicit none
    integer :: pool = -77
    integer :: only_here = 5
end module other_grids

subroutine stop_here(x)
    implicit none
    integer, intent(in) :: x
    print *, 'stopped', x
end subroutine stop_here

subroutine takes(one, two, three, four, back, bounds, text, names, n, m, box, sized, rest, opt, cplx, flag, kept)
    use grids
    implicit none
    integer, intent(in) :: n, m
    integer, intent(in) :: one(:)
    real, intent(in) :: two(:, :)
    integer, intent(in) :: three(:, :, :)
    integer(8), intent(in) :: four(:, :, :, :)
    integer, intent(in) :: back(:)
    integer, intent(in) :: bounds(-3:, 5:)
    character(len=*), intent(in) :: text
    character(len=*), intent(in) :: names(:)
    type(mesh), intent(in) :: box
    integer, intent(in) :: sized(2, *)
    integer, intent(in) :: rest(n, m:m + 2)
    integer, intent(in), optional :: opt
    complex, intent(in) :: cplx(2)
    logical, intent(in) :: flag
    integer, intent(in), contiguous :: kept(:)
    integer :: automatic(n, 2)
    real(8) :: stretched(-n:n)
    character(len=n) :: word
    integer :: k
    automatic = n
    stretched = (/ (half * k, k = -n, n) /)
    word = 'word and more'
    call stop_here(size(one) + size(two) + size(three) + size(four) + size(back) + size(bounds) + &
        len(text) + len(names) + box%size + sized(1, 1) + rest(1, m) + size(automatic) + int(real(cplx(1))) + &
        merge(1, 0, flag) + size(kept) + int(stretched(0)) + merge(1, 0, present(opt)) + len(word))
end subroutine takes

program shapes
    use grids
    use other_grids, only: elsewhere => pool, only_here
    implicit none
    interface
        subroutine takes(one, two, three, four, back, bounds, text, names, n, m, box, sized, rest, opt, cplx, flag, kept)
            use grids
            integer, intent(in) :: n, m
            integer, intent(in) :: one(:)
            real, intent(in) :: two(:, :)
            integer, intent(in) :: three(:, :, :)
            integer(8), intent(in) :: four(:, :, :, :)
            integer, intent(in) :: back(:)
            integer, intent(in) :: bounds(-3:, 5:)
            character(len=*), intent(in) :: text
            character(len=*), intent(in) :: names(:)
            type(mesh), intent(in) :: box
            integer, intent(in) :: sized(2, *)
            integer, intent(in) :: rest(n, m:m + 2)
            integer, intent(in), optional :: opt
            complex, intent(in) :: cplx(2)
            logical, intent(in) :: flag
            integer, intent(in), contiguous :: kept(:)
        end subroutine
    end interface
    integer :: n, rank1(6), rank2(2, 3), rank3(2, 3, 2), sums(30)
    integer :: many(2, 1, 2, 1, 2), empty(0), lone(1), rows(12, 15), plane(3, 12), same(11), ten(10)
    integer(8) :: rank4(2, 2, 2, 2)
    real :: reals(3, 4)
    integer, allocatable :: grown(:, :), none(:, :, :)
    integer, pointer :: window(:), reversed(:), column(:), block_of(:, :), loose(:)
    real(16) :: quads(2)
    real(10) :: wide(2)
    complex(16) :: wide_complex
    logical(1) :: bits(3)
    logical :: truth(2, 2)
    integer(1) :: bytes(4)
    character(len=4) :: labels(2, 2)
    character(len=:), allocatable :: grow_text, list_of(:)
    character(kind=4, len=3) :: ucs
    character(len=300) :: long_text
    type(mesh), target :: box
    type(mesh), pointer :: to_box
    type(mesh), allocatable :: boxes(:)
    type(flagged) :: marked
    class(cell), allocatable :: some_cells(:)
    real(8), pointer :: to_scalar
    real(8), target :: pointed = 6.25d0
    integer, allocatable :: alone
    real(8) :: nan_one, infinite
    double precision :: twice = 1d-300
    enum, bind(c)
        enumerator :: red = 1, green = 2
    end enum
    integer(kind(red)) :: colour = green

    rank1 = (/ (n * n, n = 1, 6) /)
    rank2 = reshape((/ 1, 2, 3, 4, 5, 6 /), (/ 2, 3 /))
    rank3 = reshape((/ (n, n = 1, 12) /), (/ 2, 3, 2 /))
    rank4 = reshape((/ (int(n, 8) * 10000000000_8, n = 1, 16) /), (/ 2, 2, 2, 2 /))
    many = reshape((/ (n, n = 1, 8) /), shape(many))
    sums = 4
    sums(20:) = 5
    lone = 9
    rows = 3
    rows(:, 15) = 2
    rows(5, 2) = 1
    plane = 7
    same = 8
    ten = 8
    reals = reshape((/ (n / 3.0, n = 1, 12) /), (/ 3, 4 /))
    allocate (grown(-1:1, 3:4), shared(5))
    grown = reshape((/ (n, n = 1, 6) /), (/ 3, 2 /))
    shared = (/ 5, 4, 3, 2, 1 /)
    pool = (/ (n, n = 1, 24) /)
    window => pool(3:20:4)
    reversed => pool(9:1:-2)
    block_of(0:1, 0:2) => pool(1:6)
    column => rank_column()
    nullify (loose)
    quads = (/ 0.1_16, 2.0_16 /)
    wide = (/ 0.1_10, 3.0_10 /)
    wide_complex = (1.0_16, -0.5_16)
    bits = (/ .true._1, .false._1, .true._1 /)
    truth = reshape((/ .true., .false., .false., .true. /), (/ 2, 2 /))
    bytes = (/ 1_1, -1_1, 127_1, -127_1 /)
    labels = reshape((/ 'aaaa', 'b''b ', 'cc  ', 'd   ' /), (/ 2, 2 /))
    grow_text = 'grown text'
    allocate (character(len=3) :: list_of(2))
    list_of = (/ 'abc', 'def' /)
    ucs = 4_'abc'
    long_text = repeat('ab', 50) // repeat(' ', 200)
    title = 'a title'
    box%corner(1) = cell(1_2, (/ 1d0, 2d0, 3d0 /), (1d0, 2d0), .true., 'first')
    box%corner(2) = cell(-2_2, (/ 0d0, 0d0, 0d0 /), (0d0, -1d0), .false., 'two')
    allocate (box%cells(2), box%values(2, 2), box%single)
    box%cells = box%corner
    box%values = reshape((/ 1.0, 2.0, 3.0, 4.0 /), (/ 2, 2 /))
    box%window => pool(2:6:2)
    box%single = 1.25d0
    allocate (box%any_cell, source=box%corner(1))
    to_box => box
    allocate (boxes(2)); boxes(1)%corner = box%corner; boxes(2)%corner = box%corner
    boxes(1)%cells = box%corner
    boxes(2)%values = box%values
    marked%code = 3_2
    marked%weights = half
    marked%phase = (0d0, 0d0)
    marked%alive = .true.
    marked%tag = 'mark'
    marked%flags = reshape((/ 1, 2, 3, 4 /), (/ 2, 2 /))
    allocate (some_cells(2), source=box%corner)
    to_scalar => pointed
    allocate (alone)
    alone = 31
    nan_one = sqrt(-abs(real(alone, 8)))
    infinite = -huge(1d0) * alone
    call takes(pool(2:20:3), reals(1:3:2, 2:4), rank3(:, 1:3:2, :), rank4(2:1:-1, :, :, 1:1), pool(10:2:-3), rank2, &
        'literal', (/ 'uno', 'due' /), 3, -1, box, rank2, rank3, cplx=(/ (1.0, 2.0), (3.0, 4.0) /), flag=.true., kept=pool(4:6))
    call inside(4)
    print *, elsewhere, only_here, colour, column(1), window(1), reversed(1), block_of(0, 0), nan_one, infinite, twice, limit
contains
    function rank_column() result(r)
        integer, pointer :: r(:)
        r => pool(5:8)
    end function rank_column
    subroutine inside(times)
        integer, intent(in) :: times
        integer :: again
        again = times * rank1(2) + elsewhere
        call deeper(again)
    end subroutine inside
    subroutine deeper(x)
        integer, intent(in) :: x
        call stop_here(x + only_here + size(grown))
    end subroutine deeper
end program shapes
