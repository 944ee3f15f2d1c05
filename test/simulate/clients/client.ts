/** A Kubernetes API client that retries until it gets an answer, as users and tools do. */

import { kinds } from '../../../kinds/index.ts';
import { apiVersionOf, resourceOf } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import type { Dice } from '../dice.ts';
import { Violation } from '../invariants/index.ts';
import type { World } from '../site.ts';
import type { Story } from '../story.ts';
import type { History } from './history.ts';

export interface Answer {
  code: number;
  body: KubeObject & { message?: string; reason?: string };
  /**
   * Whether an earlier attempt was throttled or its answer was lost. That attempt may have taken
   * effect.
   */
  isRepeated: boolean;
}

export interface Client {
  /**
   * `contentType` is the type of the body, which is sent unchanged when it is bytes. For a read it
   * is the accepted type.
   */
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<Answer>;
  /** Creates the object, or patches the existing one. */
  apply(object: KubeObject): Promise<Answer>;
  patch(kind: string, name: string, patch: unknown): Promise<Answer>;
  scale(kind: string, name: string, replicas: number): Promise<Answer>;
  remove(kind: string, name: string): Promise<Answer>;
  get(kind: string, name: string): Promise<Answer>;
  /** All objects of a kind, or of a kind in a namespace, read in pages from one snapshot. */
  list(kind: string, namespace?: string, limit?: number): Promise<KubeObject[]>;
}

interface List {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: KubeObject[];
}

const attempts = 12;
const byName = new Map(kinds.map((kind) => [kind.kind, kind]));

/** The path of the collection of a kind. */
export const pathOf = (name: string, apiVersion?: string, namespace = 'default'): string => {
  const kind = byName.get(name)!;
  const version = apiVersion ?? apiVersionOf(kind.group, kind.versions[0]!.name);
  const root = kind.group ? `/apis/${version}` : `/api/${version}`;
  return kind.namespaced ? `${root}/namespaces/${namespace}/${kind.plural}` : `${root}/${kind.plural}`;
};

/** Whether the body names a resourceVersion. A conflict is then final, not a reason to retry. */
const isConditional = (body: unknown): boolean =>
  (body as Partial<KubeObject> | undefined)?.metadata?.resourceVersion !== undefined;

export const createClient = (world: World, draw: Dice, story: Story, who: string, history: History): Client => {
  const once = async (method: string, path: string, body: unknown, contentType: string) => {
    const response = await world.request(
      new Request(`https://127.0.0.1${path}`, {
        method,
        headers: { 'content-type': contentType, ...(method === 'GET' && { accept: contentType }) },
        ...(body !== undefined && { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
      }),
    );
    const answer = JSON.parse(await response.text()) as Answer['body'];
    const { retryAfterSeconds: wait } = (answer as { details?: { retryAfterSeconds?: number } }).details ?? {};
    // Kubernetes clients read Retry-After from the header only.
    if (wait !== undefined && Number(response.headers.get('retry-after')) !== wait)
      world.mirror.breaks(
        new Violation('the API', `${response.status} ${path} has the delay of ${wait} s only in its body`),
      );
    return { code: response.status, body: answer };
  };
  /** Records the answers about one object. */
  const observed: typeof once = async (method, path, body, contentType) => {
    const [, namespace, plural, name] = /\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    const kind = kinds.find((one) => one.plural === plural);
    if (!kind || path.includes('?')) return once(method, path, body, contentType);
    const [type, id] = [resourceOf(kind), `${namespace}/${name}`];
    const began = history.began(type, id);
    const answer = await once(method, path, body, contentType);
    const position = Number(answer.body.metadata?.resourceVersion);
    try {
      if (method === 'GET' && answer.code === 200) history.read(type, id, began, position);
      if (method === 'GET' && answer.code === 404) history.read(type, id, began, undefined);
      if (method === 'PATCH' && answer.code === 200) history.wrote(type, id, position);
      if ((method === 'GET' || method === 'PATCH') && answer.code === 200) history.answered(answer.body);
    } catch (error) {
      world.mirror.breaks(error);
    }
    return answer;
  };
  const defaultContentType = (method: string) =>
    method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const request: Client['request'] = async (method, path, body, contentType = defaultContentType(method)) => {
    /** The last answer received, even if it was an error. */
    let heard: Omit<Answer, 'isRepeated'> | undefined;
    for (let attempt = 0; ; attempt++) {
      let answer: typeof heard;
      try {
        answer = await observed(method, path, body, contentType);
        heard = answer;
      } catch (error) {
        story.tell(who, method, path, String(error));
        if (attempt >= attempts && !heard) throw error;
        if (attempt >= attempts) answer = heard;
      }
      const isBeaten = answer?.code === 409 && method === 'PATCH' && !isConditional(body);
      const isAgain = !answer || answer.code >= 500 || answer.code === 429 || isBeaten;
      if (answer && (!isAgain || attempt >= attempts)) {
        const message = answer.code < 400 ? '' : `: ${answer.body.message}`;
        story.tell(who, method, path, `${answer.code}${message}`);
        return { ...answer, isRepeated: attempt > 0 };
      }
      await sleep(world.clock, draw.spread(300, 15_000));
    }
  };
  return {
    request,
    apply: async (object) => {
      const path = pathOf(object.kind, object.apiVersion, object.metadata.namespace);
      const annotations = {
        ...object.metadata.annotations,
        'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(object)}\n`,
      };
      const applied = { ...object, metadata: { ...object.metadata, annotations } };
      const found = await request('GET', `${path}/${object.metadata.name}`);
      if (found.code !== 404) return request('PATCH', `${path}/${object.metadata.name}`, applied);
      const created = await request('POST', path, applied);
      if (created.code !== 409) return created;
      // An earlier attempt may have created it.
      return { ...(await request('PATCH', `${path}/${object.metadata.name}`, applied)), isRepeated: true };
    },
    patch: (kind, name, patch) => request('PATCH', `${pathOf(kind)}/${name}`, patch),
    scale: (kind, name, replicas) => request('PATCH', `${pathOf(kind)}/${name}/scale`, { spec: { replicas } }),
    remove: (kind, name) => request('DELETE', `${pathOf(kind)}/${name}`, { propagationPolicy: 'Background' }),
    get: (kind, name) => request('GET', `${pathOf(kind)}/${name}`),
    list: async (kind, namespace, limit = 0) => {
      const all = pathOf(kind, undefined, namespace);
      const path = namespace === undefined ? all.replace('/namespaces/default', '') : all;
      for (;;) {
        const first = (await request('GET', `${path}?limit=${limit}`)).body as unknown as List;
        const items = [...first.items];
        const { remainingItemCount: left } = first.metadata;
        let { continue: next } = first.metadata;
        while (next) {
          const { code, body } = await request('GET', `${path}?limit=${limit}&continue=${encodeURIComponent(next)}`);
          // The continue token expires, and the reader may have been frozen.
          if (code === 410) break;
          const page = body as unknown as List;
          items.push(...page.items);
          next = page.metadata.continue;
        }
        if (next) continue;
        if (left !== undefined && first.items.length + left !== items.length)
          throw new Violation(
            'lists',
            `remainingItemCount is ${left}, but ${items.length} items follow the first ${first.items.length}`,
          );
        await world.mirror.seen();
        history.listed(resourceOf(byName.get(kind)!), namespace, Number(first.metadata.resourceVersion), items);
        return items;
      }
    },
  };
};
