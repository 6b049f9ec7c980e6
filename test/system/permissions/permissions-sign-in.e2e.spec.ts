import { modules, signIn, startService } from './modules';
import { describePermissions } from './permissions.suite';

describePermissions(startService, modules, signIn);
