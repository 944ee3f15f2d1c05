/** A proxy of MiniStack's parameter store, which ignores tags in filters. */
import { createServer, type IncomingMessage } from 'node:http';
import { listenLocally } from './listen.ts';

export interface ParametersOptions {
  /** MiniStack. */
  endpoint: string;
  /** 0 = any free one. */
  port: number;
}

export interface Parameters {
  endpoint: string;
  close(): Promise<void>;
}

interface Filter {
  Key: string;
  Option?: string;
  Values?: string[];
}
interface Described {
  Parameters: { Name: string }[];
  NextToken?: string;
}
interface Listed {
  TagList: { Key: string; Value: string }[];
}

const prefix = 'tag:';
const service = 'AmazonSSM';

const read = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

export const startParameters = async ({ endpoint, port }: ParametersOptions): Promise<Parameters> => {
  type Headers = Record<string, string>;
  const forward = (headers: Headers, body: string | Buffer) =>
    fetch(endpoint, { method: 'POST', headers, body: typeof body === 'string' ? body : new Uint8Array(body) });
  const ask = async <T>(headers: Headers, operation: string, input: object): Promise<T> => {
    const response = await forward({ ...headers, 'x-amz-target': `${service}.${operation}` }, JSON.stringify(input));
    if (!response.ok) throw new Error(`MiniStack answered ${operation} with ${response.status}`);
    return (await response.json()) as T;
  };

  /** The parameters that have, for each requested tag, one of the values. */
  const describe = async (headers: Headers, filters: Filter[]): Promise<Described> => {
    const found: Described['Parameters'] = [];
    const others = filters.filter(({ Key }) => !Key.startsWith(prefix));
    const wanted = filters.filter(({ Key }) => Key.startsWith(prefix));
    let NextToken: string | undefined;
    do {
      const page: Described = await ask(headers, 'DescribeParameters', { ParameterFilters: others, NextToken });
      for (const parameter of page.Parameters) {
        const about = { ResourceType: 'Parameter', ResourceId: parameter.Name };
        const { TagList } = await ask<Listed>(headers, 'ListTagsForResource', about);
        const isWanted = wanted.every(({ Key, Values }) =>
          TagList.some((tag) => tag.Key === Key.slice(prefix.length) && (!Values || Values.includes(tag.Value))),
        );
        if (isWanted) found.push(parameter);
      }
      NextToken = page.NextToken;
    } while (NextToken);
    return { Parameters: found };
  };

  const server = createServer((incoming, outgoing) => {
    const answer = async () => {
      const body = await read(incoming);
      const { host: _host, connection: _connection, 'content-length': _length, ...rest } = incoming.headers;
      const headers = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
      if (headers['x-amz-target'] === `${service}.DescribeParameters`) {
        const { ParameterFilters = [] } = JSON.parse(body.toString() || '{}') as { ParameterFilters?: Filter[] };
        if (ParameterFilters.some(({ Key }) => Key.startsWith(prefix))) {
          outgoing.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
          outgoing.end(JSON.stringify(await describe(headers, ParameterFilters)));
          return;
        }
      }
      const response = await forward(headers, body);
      const type = response.headers.get('content-type') ?? 'application/x-amz-json-1.1';
      const code = response.headers.get('x-amzn-errortype');
      outgoing.writeHead(response.status, { 'content-type': type, ...(code !== null && { 'x-amzn-errortype': code }) });
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    };
    answer().catch((error: unknown) => {
      outgoing.writeHead(500, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ __type: 'InternalServerError', message: String(error) }));
    });
  });
  return listenLocally(server, port);
};
