# perl: regular expressions, sorting, fork and pipes, signals, sockets, big numbers, eval.
# share: check
# needs: perl

run() {
    perl -e '
        use strict; use warnings; use POSIX; use Socket; use List::Util qw(sum reduce shuffle);
        $| = 1;
        my %h; my $x = 1; for (1 .. 30000) { $x = $x * 16807 % 2147483647; $h{$x % 100}++ }
        print join(",", (sort { $h{$b} <=> $h{$a} || $a <=> $b } keys %h)[0 .. 5]), "\n";
        my $t = join " ", map { sprintf "%x", $_ * 7919 } 1 .. 2000;
        my $n = () = $t =~ /\b(\w)\w*\1\b/g; print "$n\n"; $t =~ s/(\d+)/<$1>/g; print length($t), "\n";
        my $pid = open(my $in, "-|") // die; if (!$pid) { print "child $_\n" for 1 .. 3; exit 4 }
        print while <$in>; close $in; print $? >> 8, "\n";
        my $got = 0; local $SIG{USR1} = sub { $got++ }; kill USR1 => $$ for 1 .. 50; print "$got\n";
        eval { local $SIG{ALRM} = sub { die "alarm\n" }; alarm 1; select undef, undef, undef, 60; };
        print "caught $@"; eval { my $z = 0; 1 / $z }; print $@ =~ /zero/ ? "zero\n" : "no\n";
        socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0); if (!fork) { syswrite $a, "hi"; _exit(0) }
        sysread $b, my $s, 10; print "$s\n"; wait; print WEXITSTATUS($?), "\n";
        use bigint; print 2 ** 200, "\n"; print "sorted\n" if join("", sort split //, "edcba") eq "abcde";
        exit 9'
    local status=$?
    perl -MDigest::SHA=sha256_hex -MMIME::Base64 -e 'print sha256_hex("abc"), encode_base64("x" x 20)'
    perl -ne 'print if 3 .. 5' < <(seq 10); perl -pe 's/(\d)/$1*2/e' < <(seq 3)
    return $status
}
