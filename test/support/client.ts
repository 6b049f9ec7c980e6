import { Countinghouse } from '../../client/src/index.js';
import { coreContract } from './contract';
import { PASSWORD } from './people';
import { TestService } from './service';

/**
 * The typed client of someone with a password, for tests that tell a story and not what HTTP looks like. It logs in again
 * when the clock has passed the end of its session, and throws `ApiError` when a request is refused. Like the responses of
 * `Api`, its responses are checked against the OpenAPI document.
 */
export function clientOf(
  service: TestService,
  { email, password = PASSWORD }: { readonly email: string; readonly password?: string },
): Countinghouse {
  return new Countinghouse({
    baseUrl: service.url,
    credentials: { login: { email, password } },
    // A response that is not as documented fails the test at once, instead of counting as a lost connection.
    retry: { attempts: 1 },
    fetch: async (request, init) => {
      const response = await fetch(request, init);
      const contract = await coreContract(service.url);
      const body: unknown = await response.clone().json();
      contract.check(request.method, request.url.slice(service.url.length), {
        status: response.status,
        body,
      });
      return response;
    },
  });
}
