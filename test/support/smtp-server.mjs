// A mail server as a process of its own: node smtp-server.mjs <port> <user> <password>. It takes whatever comes, tells
// its parent, and behaves as it is told:
//   accept   takes the mail
//   defer    answers 451 to it
//   refuse   answers 550 to the recipient
//   strange  answers 554 5.7.1 to the recipient: it does not know who sends
//   hold     takes the mail, and does not answer until it is told to do otherwise
import { SMTPServer } from 'smtp-server';

const [port, user, password] = process.argv.slice(2);
let behaviour = 'accept';
let held = [];

const reply = (responseCode, message) => Object.assign(new Error(message), { responseCode });

const server = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  logger: false,
  onAuth: (auth, _session, done) =>
    auth.username === user && auth.password === password
      ? done(null, { user })
      : done(reply(535, `Wrong: ${auth.password}`)),
  onRcptTo: ({ address }, _session, done) => {
    process.send({ tried: address });
    if (behaviour === 'refuse') done(reply(550, `5.1.1 <${address}> is unknown`));
    else if (behaviour === 'strange') done(reply(554, `5.7.1 <${address}>: Relay access denied`));
    else done();
  },
  onData: (stream, { envelope }, done) => {
    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8');
      if (behaviour === 'defer') return done(reply(451, `Come back later with ${raw}`));
      process.send({
        mail: { raw, from: envelope.mailFrom.address, to: envelope.rcptTo.map(({ address }) => address) },
      });
      if (behaviour === 'hold') held.push(done);
      else done();
    });
  },
});
server.on('error', () => undefined); // a client that died in the middle
server.listen(Number(port), '127.0.0.1', () => process.send({ port: server.server.address().port }));

process.on('message', (wanted) => {
  behaviour = wanted;
  if (wanted !== 'hold') for (const done of held.splice(0)) done();
  process.send({ behaviour });
});
process.on('disconnect', () => process.exit());
