export { intervals, startOfPeriod } from './subscription';
