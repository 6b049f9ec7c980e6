import { callersOfSuites } from './matrix';
import { startService } from './modules';
import { describePermissions } from './permissions.suite';

describePermissions(startService, callersOfSuites.others);
