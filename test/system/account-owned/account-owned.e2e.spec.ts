import { startTestService } from '../../support/service';
import { accountOwnedSuite } from './account-owned.suite';

describe('Resources of an account (interface 4.4, 4.5)', () => accountOwnedSuite(() => startTestService()));
