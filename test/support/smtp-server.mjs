// An SMTP server: node smtp-server.mjs <port> <user> <password>. It reports every email to its parent process and
// responds as the parent requests:
//   accept  accepts the email
//   defer  responds 451 to the email
//   reject  responds 550 to the recipient
//   reject-sender  responds 554 5.7.1 (relay access denied) to the recipient
//   hold  reads the email and does not respond until the next request
import { SMTPServer } from 'smtp-server';

const [port, user, password] = process.argv.slice(2);
let behavior = 'accept';
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
    process.send({ recipient: address });
    if (behavior === 'reject') done(reply(550, `5.1.1 <${address}> is unknown`));
    else if (behavior === 'reject-sender') done(reply(554, `5.7.1 <${address}>: Relay access denied`));
    else done();
  },
  onData: (stream, { envelope }, done) => {
    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8');
      if (behavior === 'defer') return done(reply(451, `Come back later with ${raw}`));
      process.send({
        mail: { raw, from: envelope.mailFrom.address, to: envelope.rcptTo.map(({ address }) => address) },
      });
      if (behavior === 'hold') held.push(done);
      else done();
    });
  },
});
server.on('error', () => undefined); // a client that disconnected
server.listen(Number(port), '127.0.0.1', () => process.send({ port: server.server.address().port }));

process.on('message', (requested) => {
  behavior = requested;
  if (requested !== 'hold') for (const done of held.splice(0)) done();
  process.send({ behavior });
});
process.on('disconnect', () => process.exit());
