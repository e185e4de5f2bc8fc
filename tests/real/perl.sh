# needs: perl
perl - $INPUT/words <<'PERL'
use strict;
use Digest::SHA qw(sha256_hex);
use Data::Dumper;
use POSIX qw(floor strftime);
$| = 1;
my %n;
while (<>) { $n{$_}++ for /(\w\w)/g }
print "$_ $n{$_}\n" for (sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n)[0 .. 9];
my $h = 0;
$h = ($h * 31 + $_) % 1000003 for sort { $a <=> $b } map { $_ * 7919 % 1009 } 1 .. 5000;
print "$h\n";
printf "%.15g\n", exp(1);
print join(",", unpack("C*", pack("w N n", 300, 70000, 5))), "\n";
$Data::Dumper::Sortkeys = 1;
print sha256_hex("abc"), "\n", Dumper({a => [1, 2], b => undef});
print strftime("%Y", gmtime 0), floor(-1.5), "\n";
$SIG{ALRM} = sub { die "alarm\n" };
eval { alarm 1; 1 while 1 };
print $@;
$SIG{USR1} = sub { print "usr1\n" };
kill USR1 => $$;
my $child = fork // die;
exit 7 unless $child;
waitpid $child, 0;
print $? >> 8, "\n";
print `echo backtick`;
print "matched\n" if ("x" x 30) =~ /^(x+x+)+$/;
die "end\n";
PERL
echo $?
