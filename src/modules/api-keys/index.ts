export { apiKeys } from './api-keys.module';
