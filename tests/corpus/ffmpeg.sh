# ffmpeg: encoders, filters and decoders with threads; frames are compared by their sums.
# share: check
# needs: ffmpeg

run() {
    local f='ffmpeg -nostdin -hide_banner -loglevel error -threads 2 -flags +bitexact -fflags +bitexact'
    $f -f lavfi -i testsrc2=size=128x96:rate=10:duration=1 -c:v mpeg4 -q:v 4 -y a.avi && $f -i a.avi -f framemd5 - | tail -n 3
    $f -f lavfi -i sine=frequency=440:duration=1 -c:a flac -y s.flac && $f -i s.flac -f md5 -
    $f -i a.avi -vf 'scale=64:48,hflip,eq=contrast=1.2' -c:v ffv1 -y b.mkv && $f -i b.mkv -f framecrc - | tail -n 2
    $f -i a.avi -i s.flac -c copy -y m.mkv; ffprobe -v error -show_entries stream=codec_name,width,sample_rate -of csv m.mkv
    $f -i missing.avi -f null - 2>/dev/null; echo "status $?"
}
