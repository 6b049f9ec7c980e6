import { startTestService } from '../../support/service';
import { transactionsSuite } from './transactions.suite';

describe('Transactions (interface 4.4)', () => transactionsSuite(() => startTestService()));
