// Runs in a worker thread: bcrypt is computation, and on the main thread it would hold up every other request.
// Plain JavaScript, because worker threads load files as they are, also under the test runner.
const bcrypt = require('bcryptjs');

module.exports.hash = ({ password, cost }) => bcrypt.hashSync(password, cost);
module.exports.matches = ({ password, hash }) => bcrypt.compareSync(password, hash);
