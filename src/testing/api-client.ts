/** A response of the service. `Body` is what the test expects; it is not checked. */
export interface ApiResponse<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

type JsonObject = Record<string, unknown>;

/** Calls the API as JSON over HTTP. */
export class ApiClient {
  constructor(
    private readonly url: string,
    private readonly token: string | null = null,
  ) {}

  /** The same client with an access token. */
  as(token: string): ApiClient {
    return new ApiClient(this.url, token);
  }

  get<Body = JsonObject>(path: string): Promise<ApiResponse<Body>> {
    return this.send('GET', path);
  }

  post<Body = JsonObject>(
    path: string,
    body: object,
    headers?: Record<string, string>,
  ): Promise<ApiResponse<Body>> {
    return this.send('POST', path, body, headers);
  }

  patch<Body = JsonObject>(path: string, body: object): Promise<ApiResponse<Body>> {
    return this.send('PATCH', path, body);
  }

  delete<Body = JsonObject>(path: string, body?: object): Promise<ApiResponse<Body>> {
    return this.send('DELETE', path, body);
  }

  private async send<Body>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse<Body>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(this.token !== null && { Authorization: `Bearer ${this.token}` }),
        ...headers,
      },
      body: body && JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }
}
