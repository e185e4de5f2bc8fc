# A client of the remote serial protocol for tests: sends packets, prints the answers.
#
#   rsp_client.pl ADDRESS PACKET...     ADDRESS: a path, PORT, or v6:PORT for a socket of that family
#
# A packet `open:PATH` stands for the vFile:open of that path.  Prints `refused` if the server closes
# without an answer.
use strict;
use warnings;
use Socket qw(AF_UNIX AF_INET AF_INET6 SOCK_STREAM inet_pton pack_sockaddr_un pack_sockaddr_in
              pack_sockaddr_in6);

sub end_with { print "$_[0]\n"; exit 0 }

sub address_of {
    my ($text) = @_;
    return (AF_UNIX, pack_sockaddr_un($text)) if $text =~ m{^/};
    if ($text =~ s/^v6://) {
        return (AF_INET6, pack_sockaddr_in6($text, inet_pton(AF_INET6, '::ffff:127.0.0.1')));
    }
    return (AF_INET, pack_sockaddr_in($text, inet_pton(AF_INET, '127.0.0.1')));
}

sub ask {
    my ($socket, $packet) = @_;
    $packet = 'vFile:open:' . unpack('H*', $1) . ',0,0' if $packet =~ /^open:(.*)/;
    syswrite $socket, sprintf('$%s#%02x', $packet, unpack('%8C*', $packet)) or end_with('refused');
    my $answer = '';
    while ($answer !~ /^\+?\$(.*)#..$/s) {
        sysread($socket, $answer, 4096, length $answer) or end_with('refused');
    }
    my $said = $answer =~ /^\+?\$(.*)#..$/s ? $1 : '';
    syswrite $socket, '+';
    return $said;
}

$SIG{PIPE} = 'IGNORE';
my ($family, $where) = address_of(shift);
socket(my $socket, $family, SOCK_STREAM, 0) or die "socket: $!";
connect($socket, $where) or end_with("cannot connect: $!");
print ask($socket, $_), "\n" for @ARGV;
