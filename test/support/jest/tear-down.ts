import { tearDown } from './set-up';

export default (): Promise<void> => tearDown();
