/**
 * A runtime extension as a function of AWS Lambda, for three systems of a company: it takes an address from
 * the address management, asks the patch system before workers are replaced, and registers clusters in an
 * inventory. Its settings name their URLs. Behind a function URL or an HTTPS server it works the same.
 */

const hooksVersion = 'hooks.runtime.cluster.x-k8s.io/v1alpha1';

interface Cluster {
  metadata: { namespace: string; name: string; uid: string };
}
interface Template {
  uid: string;
  object: { kind: string };
}
interface Request {
  settings?: Record<string, string>;
  cluster?: Cluster;
  toKubernetesVersion?: string;
  variables?: { name: string; value: unknown }[];
  items?: Template[];
}
interface Answer {
  status: 'Success' | 'Failure';
  message?: string;
  retryAfterSeconds?: number;
  [field: string]: unknown;
}

/** The event of a function URL. */
export interface Event {
  rawPath: string;
  body?: string;
  isBase64Encoded?: boolean;
}
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

const done: Answer = { status: 'Success' };
/** Asks to be asked again. */
const wait = (retryAfterSeconds: number, message: string): Answer => ({ ...done, retryAfterSeconds, message });

const send = (method: string, body?: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

/** A hook may be called twice: whatever these change, they change under the uid of the cluster. */
const handlersWith = (fetch: Fetch): Record<string, (request: Request) => Promise<Answer>> => {
  const expect = async (url: string, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    return response;
  };
  const clusterOf = ({ cluster }: Request): Cluster['metadata'] => cluster!.metadata;
  /** Seconds until a system is asked again that said no. */
  const pauseOf = ({ settings }: Request): number => Number(settings?.pauseSeconds ?? 60);
  const system = ({ settings }: Request, name: string): string => settings![name]!;

  return {
    /** The cluster begins when it has an address. */
    BeforeClusterCreate: async (request) => {
      const { uid, namespace, name } = clusterOf(request);
      const url = `${system(request, 'addresses')}/leases/${uid}`;
      const response = await fetch(url, send('PUT', { for: `${namespace}/${name}` }));
      if (response.status === 409) return wait(pauseOf(request), 'no address is free');
      if (!response.ok) throw new Error(`${url}: ${response.status}`);
      const { address } = (await response.json()) as { address: string };
      return { ...done, message: `address ${address}` };
    },

    AfterControlPlaneInitialized: async (request) => {
      const { uid, namespace, name } = clusterOf(request);
      await expect(`${system(request, 'inventory')}/clusters/${uid}`, send('PUT', { namespace, name }));
      return done;
    },

    /** Workers are replaced when the patch system has approved their version. */
    BeforeWorkersUpgrade: async (request) => {
      const { uid } = clusterOf(request);
      const change = { cluster: uid, version: request.toKubernetesVersion };
      const response = await expect(`${system(request, 'patches')}/changes/${uid}`, send('PUT', change));
      const { approved } = (await response.json()) as { approved: boolean };
      return approved ? done : wait(pauseOf(request), `${request.toKubernetesVersion} is not approved yet`);
    },

    BeforeClusterDelete: async (request) => {
      const { uid } = clusterOf(request);
      await expect(`${system(request, 'inventory')}/clusters/${uid}`, send('DELETE'));
      await expect(`${system(request, 'addresses')}/leases/${uid}`, send('DELETE'));
      return done;
    },

    DiscoverVariables: async () => ({
      ...done,
      variables: [
        { name: 'costCenter', required: true, schema: { openAPIV3Schema: { type: 'string', minLength: 1 } } },
      ],
    }),

    /** What the company's machines have in common need not stand in each class. */
    GeneratePatches: async ({ variables = [], items = [] }) => {
      const costCenter = variables.find(({ name }) => name === 'costCenter')?.value;
      const patch = { spec: { template: { spec: { additionalTags: { 'cost-center': costCenter } } } } };
      return {
        ...done,
        items: items
          .filter(({ object }) => object.kind === 'AWSMachineTemplate')
          .map(({ uid }) => ({
            uid,
            patchType: 'JSONMergePatch',
            patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
          })),
      };
    },
  };
};

const nameOf = (hook: string): string => hook.toLowerCase();

export const createHandler = (fetch: Fetch) => {
  const handlers = handlersWith(fetch);
  const discovered = Object.keys(handlers).map((hook) => ({
    name: nameOf(hook),
    requestHook: { apiVersion: hooksVersion, hook },
    timeoutSeconds: 10,
  }));
  const answerTo = async (path: string, request: Request): Promise<Answer> => {
    const hook = path.split(`/${hooksVersion}/`)[1]?.split('/')[0];
    if (hook === 'discovery') return { ...done, handlers: discovered };
    const [, handle] = Object.entries(handlers).find(([name]) => nameOf(name) === hook) ?? [];
    return handle ? handle(request) : { status: 'Failure', message: `no handler for ${path}` };
  };
  return async ({ rawPath, body = '{}', isBase64Encoded }: Event) => {
    const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
    const answer = await answerTo(rawPath, JSON.parse(text) as Request);
    return {
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: hooksVersion, ...answer }),
    };
  };
};

export const handler = createHandler(fetch);
