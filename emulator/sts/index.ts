/** STS: verifies the signature of a request, returns its identity, and issues role sessions. MiniStack verifies nothing. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { stsHosts } from '../../adapters/aws/identity/hosts.ts';
import { listenLocally } from '../listen.ts';
import { claimOf, isSignedBy, type Signed, timeOf } from './signature.ts';
import type { Identity, Users } from './users.ts';

export { createUsers, type Identity, type Users } from './users.ts';

export interface StsOptions {
  users: Users;
  account: string;
  /** 0 = any free one. */
  port: number;
  /** Receives every other request. */
  elsewhere: string;
}

export interface Sts {
  endpoint: string;
  close(): Promise<void>;
}

class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const mostSkew = 5 * 60_000;
/** STS accepts every signature for this long; it ignores `X-Amz-Expires` of a presigned request. */
const lifetime = 15 * 60_000;

/** The possible signed endpoints: a token is signed for AWS's own endpoint and sent here. */
const hostsOf = ({ headers }: Signed, region: string): string[] => [
  headers.host ?? '',
  ...[...stsHosts(region)].flatMap(([host, signedFor]) => (signedFor === region ? [host] : [])),
];

/** The identity of the request. Throws AWS's error. */
const signerOf = (request: Signed, users: Users, now: number): Identity => {
  const claim = claimOf(request);
  if (!claim) throw new Refusal(403, 'MissingAuthenticationToken', 'Request is missing Authentication Token');
  const signer = users.of(claim.accessKeyId);
  if (!signer || signer.sessionToken !== claim.token)
    throw new Refusal(403, 'InvalidClientTokenId', 'The security token included in the request is invalid.');
  const [day = '', region = '', service] = claim.scope.split('/');
  const isSigned = hostsOf(request, region).some((host) =>
    isSignedBy({ ...request, headers: { ...request.headers, host } }, claim, signer.secretAccessKey),
  );
  if (!isSigned)
    throw new Refusal(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
    );
  if (service !== 'sts' || !claim.date.startsWith(day))
    throw new Refusal(403, 'SignatureDoesNotMatch', 'Credential should be scoped to correct service and date.');
  const signed = timeOf(claim);
  const until = signed + lifetime;
  if (!(signed - now < mostSkew)) throw new Refusal(403, 'SignatureDoesNotMatch', 'Signature not yet current');
  if (!(now < until)) throw new Refusal(403, 'ExpiredToken', 'The security token included in the request is expired');
  if (signer.expires !== undefined && now >= signer.expires)
    throw new Refusal(403, 'ExpiredToken', 'The security token included in the request is expired');
  return signer;
};

const xmlOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([name, inner]) => `<${name}>${xmlOf(inner)}</${name}>`)
        .join('')
    : String(value).replace(/[<>&]/g, (c) => `&#${c.charCodeAt(0)};`);

const namespace = 'https://sts.amazonaws.com/doc/2011-06-15/';

interface Answer {
  status: number;
  /** One field, named like the root of the XML. */
  body: Record<string, object>;
}

const resultOf = (action: string, result: object): Answer => ({
  status: 200,
  body: {
    [`${action}Response`]: { [`${action}Result`]: result, ResponseMetadata: { RequestId: randomUUID() } },
  },
});

const answerTo = (action: string, fields: URLSearchParams, signer: Identity, users: Users, account: string): Answer => {
  if (action === 'GetCallerIdentity')
    return resultOf(action, { Arn: signer.arn, UserId: signer.userId, Account: account });
  const session = users.session(
    fields.get('RoleArn') ?? '',
    fields.get('RoleSessionName') ?? '',
    Number(fields.get('DurationSeconds') ?? 3600),
  );
  return resultOf(action, {
    Credentials: {
      AccessKeyId: session.accessKeyId,
      SecretAccessKey: session.secretAccessKey,
      SessionToken: session.sessionToken,
      Expiration: new Date(session.expires!).toISOString(),
    },
    AssumedRoleUser: { AssumedRoleId: session.userId, Arn: session.arn },
  });
};

const read = async (incoming: IncomingMessage): Promise<Signed> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method ?? 'GET',
    url: incoming.url ?? '/',
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString('utf8'),
  };
};

const forwarded = async (request: Signed, to: string) => {
  const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
  const response = await fetch(new URL(request.url, to), {
    method: request.method,
    headers,
    ...(request.body && { body: request.body }),
  });
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
};

export const startSts = async ({ users, account, port, elsewhere }: StsOptions): Promise<Sts> => {
  const server = createServer((incoming, outgoing) => {
    const handle = async () => {
      const request = await read(incoming);
      const fields = new URLSearchParams(
        request.method === 'GET' ? new URL(request.url, 'http://sts').search : request.body,
      );
      const action = fields.get('Action') ?? '';
      if (action !== 'GetCallerIdentity' && action !== 'AssumeRole') {
        const { status, type, text } = await forwarded(request, elsewhere);
        outgoing.writeHead(status, { 'content-type': type });
        outgoing.end(text);
        return;
      }
      const wantsJson = (request.headers.accept ?? '').includes('application/json');
      let answer: Answer;
      try {
        answer = answerTo(action, fields, signerOf(request, users, Date.now()), users, account);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { status, code, message } = error;
        const fault = { Type: 'Sender', Code: code, Message: message };
        answer = { status, body: { ErrorResponse: { Error: fault, RequestId: randomUUID() } } };
        // In JSON, AWS omits the outermost element.
        if (wantsJson) answer = { status, body: { Error: fault } };
      }
      outgoing.writeHead(answer.status, { 'content-type': wantsJson ? 'application/json' : 'text/xml' });
      const [root = '', inner] = Object.entries(answer.body)[0] ?? [];
      outgoing.end(wantsJson ? JSON.stringify(answer.body) : `<${root} xmlns="${namespace}">${xmlOf(inner)}</${root}>`);
    };
    handle().catch((error: unknown) => {
      outgoing.writeHead(500, { 'content-type': 'text/plain' });
      outgoing.end(String(error));
    });
  });
  return listenLocally(server, port);
};
