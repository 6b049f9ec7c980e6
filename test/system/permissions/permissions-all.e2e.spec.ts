import { startService } from './modules';
import { describePermissions } from './permissions.suite';

describePermissions(startService);
