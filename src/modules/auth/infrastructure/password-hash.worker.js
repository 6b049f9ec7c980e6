// Runs in a worker thread, because bcrypt is CPU-bound and would block the event loop of the main thread.
// Written in JavaScript, because worker threads load the file without a transformation, also in Jest.
const bcrypt = require('bcryptjs');

module.exports.hash = ({ password, cost }) => bcrypt.hashSync(password, cost);

/** Returns the hashes that match. If none does, the decoys are compared so that every mismatch takes the same time. */
module.exports.matching = ({ password, hashes, decoys }) => {
  const matching = hashes.filter((hash) => bcrypt.compareSync(password, hash));
  if (matching.length === 0) decoys.forEach((decoy) => bcrypt.compareSync(password, decoy));
  return matching;
};
