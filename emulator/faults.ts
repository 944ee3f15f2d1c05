/** A proxy that injects faults into calls of functions to EC2 and load balancing. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { CloudError } from '../kinds/ports/cloud/index.ts';
import { BadFault, faultOf } from '../local/fault-request.ts';
import { createFaults, type Fault, type Faults, type Subject } from '../simulation/aws/faults.ts';
import { listenLocally } from './listen.ts';

const path = '/faults';

export interface FaultProxy {
  /** The endpoint for EC2 and load balancing; `/faults` manages the faults. */
  endpoint: string;
  close(): Promise<void>;
}

const recordsOf = (): Parameters<typeof createFaults>[0] => {
  const kept = new Map<string, Fault>();
  return {
    get: (id: string) => kept.get(id),
    put: (id: string, fault: Fault) => void kept.set(id, fault),
    delete: (id: string) => void kept.delete(id),
    entries: () => [...kept],
  } as Parameters<typeof createFaults>[0];
};

const escaped = (text: string): string =>
  text.replace(/[<>&]/g, (mark) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;' })[mark]!);

/** An error in the service's XML protocol. */
const errorXml = (service: string, { code, message }: CloudError): string => {
  const error = `<Code>${escaped(code)}</Code><Message>${escaped(message)}</Message>`;
  return service === 'ec2'
    ? `<Response><Errors><Error>${error}</Error></Errors><RequestID>fault</RequestID></Response>`
    : `<ErrorResponse><Error><Type>Sender</Type>${error}</Error><RequestId>fault</RequestId></ErrorResponse>`;
};

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** Region and service from the scope of the signature. */
const scopeOf = ({ headers }: IncomingMessage): { region: string; service: string } => {
  const [, region = '', service = ''] =
    /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
  return { region, service };
};

const forward = async (to: string, request: IncomingMessage, body: Buffer): Promise<Response> => {
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
  return fetch(`${to}${request.url}`, {
    method: request.method ?? 'POST',
    headers: headers as Record<string, string>,
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  });
};

/** Zones of subnets, because launches name a subnet and no zone. */
const createZones = (to: string) => {
  const known = new Map<string, string>();
  return async (subnet: string, request: IncomingMessage): Promise<string | undefined> => {
    if (!known.has(subnet)) {
      const body = new URLSearchParams({ Action: 'DescribeSubnets', Version: '2016-11-15', 'SubnetId.1': subnet });
      const authorization = request.headers.authorization ?? '';
      const answer = await fetch(to, { method: 'POST', body, headers: { authorization } });
      const [, zone] = /<availabilityZone>([^<]+)</.exec(await answer.text()) ?? [];
      if (zone) known.set(subnet, zone);
    }
    return known.get(subnet);
  };
};

const subjectOf = async (
  request: IncomingMessage,
  body: Buffer,
  zoneOf: ReturnType<typeof createZones>,
): Promise<Subject | undefined> => {
  const given = new URLSearchParams(body.toString('utf8'));
  const action = given.get('Action');
  if (!action) return undefined;
  const subnet = given.get('SubnetId') ?? given.get('NetworkInterface.1.SubnetId');
  const named = given.get('AvailabilityZone') ?? given.get('Placement.AvailabilityZone');
  const zone = named ?? (subnet ? await zoneOf(subnet, request) : undefined);
  const type = given.get('InstanceType');
  const market: Subject['market'] = given.get('InstanceMarketOptions.MarketType') === 'spot' ? 'spot' : 'on-demand';
  return {
    action,
    region: scopeOf(request).region,
    ...(zone && { zone }),
    ...(type && { type }),
    ...(action === 'RunInstances' && { market }),
  };
};

const answerPeople = async (faults: Faults, request: IncomingMessage): Promise<[status: number, body: object]> => {
  const id = (request.url ?? '').slice(path.length + 1) || undefined;
  if (request.method === 'GET') return [200, { items: faults.list() }];
  if (request.method === 'DELETE') {
    const items = faults.list().filter((fault) => id === undefined || fault.id === id);
    if (id !== undefined && items.length === 0) return [404, { message: `there is no fault ${JSON.stringify(id)}` }];
    faults.clear(id);
    return [200, { items }];
  }
  try {
    return [201, faults.add(faultOf(JSON.parse((await bodyOf(request)).toString('utf8'))))];
  } catch (error) {
    if (error instanceof BadFault) return [400, { message: error.message }];
    return [400, { message: 'a fault is a JSON object' }];
  }
};

const send = (response: ServerResponse, status: number, type: string, body: string | Buffer): void => {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
};

/** `compute` is the endpoint behind the proxy. */
export const startFaults = async (compute: string): Promise<FaultProxy> => {
  const faults = createFaults(recordsOf());
  const zoneOf = createZones(compute);
  const strike = (subject: Subject | undefined, kinds: Parameters<Faults['strike']>[1][]): CloudError | undefined => {
    if (!subject) return undefined;
    for (const kind of kinds) {
      const struck = faults.strike(subject, kind);
      if (struck) return struck;
    }
    return undefined;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === path || request.url?.startsWith(`${path}/`)) {
      const [status, body] = await answerPeople(faults, request);
      return send(response, status, 'application/json', JSON.stringify(body));
    }
    const body = await bodyOf(request);
    const subject = faults.list().length > 0 ? await subjectOf(request, body, zoneOf) : undefined;
    const { service } = scopeOf(request);
    const before = strike(subject, ['before', 'capacity']);
    if (before) return send(response, 400, 'text/xml', errorXml(service, before));
    const answer = await forward(compute, request, body);
    const type = answer.headers.get('content-type') ?? 'text/xml';
    const content = Buffer.from(await answer.arrayBuffer());
    const after = answer.ok ? strike(subject, ['after']) : undefined;
    if (after) return send(response, 400, 'text/xml', errorXml(service, after));
    send(response, answer.status, type, content);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  // A new port for each start: functions and users learn it from variables.
  return listenLocally(server, 0);
};
