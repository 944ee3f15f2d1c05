/**
 * The runtime extension of extension.ts with the three systems that it asks, in one process and in memory, for a
 * laptop. Needs a certificate for 127.0.0.1.
 *
 *   node examples/company.ts CERTIFICATE KEY        hooks at https://127.0.0.1:9443, systems at http://127.0.0.1:9080
 *   curl -X PUT http://127.0.0.1:9080/addresses/free/10.1.0.7      gives the address management a free address
 *   curl -X PUT http://127.0.0.1:9080/patches/approved/v1.36.0     approves a version for workers
 *   curl http://127.0.0.1:9080                                     shows what the systems know
 */
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { createHandler } from './extension.ts';

const [certificate, key] = process.argv.slice(2);
if (certificate === undefined || key === undefined) throw new Error('usage: node examples/company.ts CERTIFICATE KEY');

const free: string[] = [];
const approved = new Set<string>();
const leases = new Map<string, string>();
const inventory = new Map<string, string>();

const send = (response: ServerResponse, body: unknown, code = 200) =>
  response.writeHead(code, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);

/** Every call may come twice. */
const systems: Record<string, (id: string, body: Record<string, string>) => [body: unknown, code?: number]> = {
  'PUT addresses/free': (address) => {
    if (!free.includes(address)) free.push(address);
    return [{ free }];
  },
  'PUT addresses/leases': (uid) => {
    const address = leases.get(uid) ?? free.shift();
    if (address === undefined) return [{ error: 'no address is free' }, 409];
    leases.set(uid, address);
    return [{ address }];
  },
  'DELETE addresses/leases': (uid) => {
    const address = leases.get(uid);
    if (leases.delete(uid) && address !== undefined) free.push(address);
    return [{ free }];
  },
  'PUT inventory/clusters': (uid, { namespace, name }) => {
    inventory.set(uid, `${namespace}/${name}`);
    return [{}];
  },
  'DELETE inventory/clusters': (uid) => [{ wasThere: inventory.delete(uid) }],
  'PUT patches/approved': (version) => {
    approved.add(version);
    return [{ approved: [...approved] }];
  },
  'PUT patches/changes': (_, { version = '' }) => [{ approved: approved.has(version) }],
};

const known = () => ({
  addresses: { free, leased: [...leases.values()] },
  inventory: [...inventory.values()],
  approved: [...approved],
});

const answer = async (request: IncomingMessage, response: ServerResponse) => {
  const [, system = '', table = '', id = ''] = (request.url ?? '').split('/');
  if (system === '') return send(response, known());
  const serve = systems[`${request.method} ${system}/${table}`];
  if (!serve) return send(response, { error: 'there is no such table' }, 404);
  return send(response, ...serve(id, JSON.parse((await text(request)) || '{}') as Record<string, string>));
};

const handle = createHandler(fetch);
const answerHook = async (request: IncomingMessage, response: ServerResponse) => {
  const { pathname } = new URL(request.url ?? '/', 'https://127.0.0.1');
  const { statusCode, headers, body } = await handle({ rawPath: pathname, body: await text(request) });
  response.writeHead(statusCode, headers).end(body);
};

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;
const orFailure = (serve: Serve) => (request: IncomingMessage, response: ServerResponse) =>
  void serve(request, response).catch((error: Error) => send(response, { error: error.message }, 500));

createHttpServer(orFailure(answer)).listen(9080, '127.0.0.1');
createHttpsServer({ cert: readFileSync(certificate), key: readFileSync(key) }, orFailure(answerHook)).listen(
  9443,
  '127.0.0.1',
);
