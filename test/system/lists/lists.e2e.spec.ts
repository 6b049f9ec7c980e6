import { startTestService } from '../../support/service';
import { listsSuite } from './lists.suite';

describe('Cursor lists (interface 4.4, 4.5, 8)', () => listsSuite(() => startTestService()));
