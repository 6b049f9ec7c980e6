export { intervals, startOfPeriod } from './schedule';
