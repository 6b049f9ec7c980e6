import { startTestService } from '../../support/service';
import { transfersSuite } from './transfers.suite';

describe('Transfers', () => transfersSuite(startTestService));
