/** A client whose server is a function in this process. */
import { parsing } from './answer.ts';
import type { ApiClient } from './client.ts';

export type Answers = (request: Request) => Promise<Response>;

export const clientOf = (server: Answers): ApiClient => {
  const request: ApiClient['request'] = async (method, path, { body, contentType = 'application/json' } = {}) => {
    const init = { method, headers: { 'content-type': contentType }, ...(body !== undefined && { body }) };
    const response = await server(new Request(`https://server${path}`, init));
    return { code: response.status, body: await response.text() };
  };
  return {
    server: 'https://server',
    namespace: 'default',
    ...parsing(request),
    bytes: async function* (path) {
      const { body } = await server(new Request(`https://server${path}`));
      if (body) yield* body;
    },
    stream: () => {
      throw new Error('not streamed here');
    },
  };
};
