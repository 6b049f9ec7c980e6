export { console } from './console.module';
