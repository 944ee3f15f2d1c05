/** The simulated account's API for the command line, beside the Kubernetes API and with the same token. */
import { type CloudAction, CloudError } from '../kinds/ports/cloud/index.ts';
import { type Account, alarmStates } from '../simulation/aws/index.ts';
import { BadFault, faultOf } from './fault-request.ts';
import { BadTrouble, troubleOf } from './trouble-request.ts';

const root = '/capstan.dev/account';

const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });

const noSuchPath = () => json({ message: 'no such path of the account' }, 404);

const onInstance = (instanceId: string, act: () => void): Response => {
  try {
    act();
    return json({ instanceId });
  } catch (error) {
    if (error instanceof CloudError) return json({ message: `${error.code}: ${error.message}` }, 404);
    throw error;
  }
};

/** Sets what the status checks and scheduled events of an instance report. */
const trouble = async (account: Account, instanceId: string, request: Request): Promise<Response> => {
  try {
    const wanted = troubleOf(await request.json());
    return onInstance(instanceId, () => account.trouble(instanceId, wanted));
  } catch (error) {
    if (error instanceof BadTrouble) return json({ message: error.message }, 400);
    if (error instanceof SyntaxError) return json({ message: 'trouble is a JSON object' }, 400);
    throw error;
  }
};

/** A change of an instance outside of Capstan. */
const changeInstance = (account: Account, id: string, verb: string | undefined, request: Request) => {
  if (verb === 'terminate') return onInstance(id, () => account.terminate(id));
  if (verb === 'interrupt') return onInstance(id, () => account.interrupt(id));
  if (verb === 'rebalance') return onInstance(id, () => account.rebalance(id));
  if (verb === 'trouble') return trouble(account, id, request);
  return noSuchPath();
};

/** Adds a fault; rejects an invalid request with the reason. */
const addFault = async ({ faults }: Account, request: Request): Promise<Response> => {
  try {
    return json(faults.add(faultOf(await request.json())), 201);
  } catch (error) {
    if (error instanceof BadFault) return json({ message: error.message }, 400);
    if (error instanceof SyntaxError) return json({ message: 'a fault is a JSON object' }, 400);
    throw error;
  }
};

/** Removes one fault or all of them, and answers the removed ones. */
const clearFaults = ({ faults }: Account, id: string | undefined): Response => {
  const cleared = faults.list().filter((fault) => id === undefined || fault.id === id);
  if (id !== undefined && cleared.length === 0)
    return json({ message: `there is no fault ${JSON.stringify(id)}` }, 404);
  faults.clear(id);
  return json({ items: cleared });
};

/** Creates an alarm, or sets its state. */
const putAlarm = async (account: Account, region: string, name: string, request: Request): Promise<Response> => {
  const { state } = (await request.json().catch(() => ({}))) as { state?: unknown };
  const known = alarmStates.find((one) => one === state);
  if (!known) return json({ message: `the state of an alarm is one of ${alarmStates.join(', ')}` }, 400);
  return onAlarm(name, () => account.alarm(region, name, known));
};

const onAlarm = (alarm: string, act: () => void): Response => {
  try {
    act();
    return json({ alarm });
  } catch (error) {
    if (error instanceof CloudError) return json({ message: `${error.code}: ${error.message}` }, 400);
    throw error;
  }
};

const answerAlarm = (account: Account, region: string, name: string, request: Request) => {
  if (request.method === 'PUT') return putAlarm(account, region, name, request);
  if (request.method === 'DELETE') return onAlarm(name, () => account.alarm(region, name));
  return noSuchPath();
};

const architectures = ['x86_64', 'arm64'] as const;

/** Adds an image, a key pair or an instance profile, to which launches can refer. */
const addForLaunches = async (account: Account, collection: string, request: Request): Promise<Response> => {
  const { region, name, architecture } = ((await request.json().catch(() => null)) ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || !/^[\w.()/-]{1,128}$/.test(name))
    return json({ message: 'its name is letters, digits and . _ - ( ) /, at most 128' }, 400);
  if (collection === 'instance-profiles')
    return created(() => {
      account.addProfile(name);
      return { name };
    });
  if (typeof region !== 'string') return json({ message: 'it needs a region' }, 400);
  if (collection === 'key-pairs')
    return created(() => {
      account.addKeyPair(region, name);
      return { name, region };
    });
  const known = architectures.find((one) => one === architecture);
  if (!known) return json({ message: `the architecture of an image is one of ${architectures.join(', ')}` }, 400);
  return created(() => ({ id: account.addImage(region, { name, architecture: known }), name, region }));
};

const created = (add: () => object): Response => {
  try {
    return json(add(), 201);
  } catch (error) {
    if (error instanceof CloudError) return json({ message: `${error.code}: ${error.message}` }, 400);
    throw error;
  }
};

const addable = ['images', 'key-pairs', 'instance-profiles'];

interface ActionRequest {
  region?: unknown;
  action?: unknown;
  input?: unknown;
}

/** A call by a user outside of Capstan: not counted, and exempt from faults. */
const act = async (account: Account, request: Request): Promise<Response> => {
  let asked: ActionRequest | null;
  try {
    asked = (await request.json()) as ActionRequest | null;
  } catch {
    asked = null;
  }
  const { region, action, input } = asked ?? {};
  if (typeof region !== 'string' || typeof action !== 'string' || typeof input !== 'object' || input === null)
    return json({ message: 'an action is a JSON object with region, action and input' }, 400);
  try {
    return json({ output: await account.uncounted(region, action as CloudAction, input as never) });
  } catch (error) {
    if (error instanceof CloudError) return json({ message: `${error.code}: ${error.message}` }, 400);
    throw error;
  }
};

const answerFaults = (account: Account, request: Request, id: string | undefined) => {
  if (request.method === 'GET' && id === undefined) return json({ items: account.faults.list() });
  if (request.method === 'POST' && id === undefined) return addFault(account, request);
  if (request.method === 'DELETE') return clearFaults(account, id);
  return undefined;
};

/** Answers a request for the account; undefined for other requests. */
export const accountApi = (account: Account, request: Request): Response | Promise<Response> | undefined => {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(`${root}/`)) return undefined;
  const [collection, id, verb] = pathname.slice(root.length + 1).split('/');
  if (request.method === 'GET' && collection === 'resources') return json({ items: account.list() });
  if (request.method === 'GET' && collection === 'calls') return json({ items: account.calls() });
  if (request.method === 'POST' && collection === 'actions' && !id) return act(account, request);
  if (request.method === 'GET' && collection === 'instance-profiles' && !id)
    return json({ items: account.profiles().map((name) => ({ name })) });
  if (request.method === 'POST' && addable.includes(collection ?? '') && !id)
    return addForLaunches(account, collection!, request);
  if (collection === 'alarms' && id && verb) return answerAlarm(account, id, decodeURIComponent(verb), request);
  if (collection === 'faults' && !verb) return answerFaults(account, request, id) ?? noSuchPath();
  if (request.method === 'POST' && collection === 'instances' && id)
    return changeInstance(account, decodeURIComponent(id), verb, request);
  return noSuchPath();
};
