# imagemagick: drawing, filters, formats, with OpenMP threads.
# share: check
# needs: convert identify

run() {
    export MAGICK_THREAD_LIMIT=2 OMP_NUM_THREADS=2
    convert -size 160x120 gradient:red-blue -fill white -draw 'circle 80,60 80,20' +noise Poisson -seed 5 a.ppm 2>/dev/null
    convert -size 160x120 gradient:red-blue -fill white -draw 'circle 80,60 80,20' b.ppm && sha256sum b.ppm
    convert b.ppm -blur 0x3 -resize 50% -rotate 30 -depth 8 c.ppm && sha256sum c.ppm
    convert b.ppm -colorspace gray -edge 1 -negate d.pgm && sha256sum d.pgm
    convert b.ppm e.png && convert e.png -depth 8 rgb:- | sha256sum; convert b.ppm -quality 80 f.jpg && identify -format '%m %w %h\n' e.png f.jpg
    compare -metric AE b.ppm e.png null: 2>&1; echo; convert missing.png x.png 2>/dev/null; echo "status $?"
}
