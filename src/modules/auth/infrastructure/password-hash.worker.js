// Runs in a worker thread: bcrypt is computation, and on the main thread it would hold up every other request.
// Plain JavaScript, because worker threads load files as they are, also under the test runner.
const bcrypt = require('bcryptjs');

module.exports.hash = ({ password, cost }) => bcrypt.hashSync(password, cost);

/** The hashes that match. The decoys are compared when there are none, and only for the time that this takes. */
module.exports.matching = ({ password, hashes, decoys }) => {
  const matching = hashes.filter((hash) => bcrypt.compareSync(password, hash));
  if (matching.length === 0) decoys.forEach((decoy) => bcrypt.compareSync(password, decoy));
  return matching;
};
