export { statements } from './statements.module';
