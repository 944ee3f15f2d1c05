/** A client that knows what Kubernetes answers, and checks it. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type Clock, sleep } from '../../../../machinery/ports.ts';
import { type Answer, type Client, pathOf } from '../../clients/client.ts';
import type { Dice } from '../../dice.ts';
import { Violation } from '../../invariants/rule.ts';
import type { World } from '../../site.ts';
import { patience } from '../progress.ts';

const minute = 60_000;
/** Where nothing goes wrong it comes about without a resync. */
const promptly = 10 * minute;

export interface Desk {
  client: Client;
  draw: Dice;
  clock: Clock;
  world: World;
  /** One that nobody has. */
  newName(): string;
  /** Fails unless it is answered so; what is asked again may also be answered as what was done already. */
  ask(method: string, path: string, code: number, body?: unknown, contentType?: string): Promise<Answer['body']>;
  expect(what: string, is: unknown, should: unknown): void;
  /** Fails unless it comes about: in that time, where nothing goes wrong. */
  eventually(what: string, isSo: () => boolean, usual?: number): Promise<void>;
  /** Fails if it does not last. */
  meanwhile(what: string, isSo: () => boolean): Promise<void>;
  /** Answers where it is, of what may be gone before anybody looks. */
  post(sort: Sort, metadata: Named, word?: string): Promise<string>;
  make(sort: Sort, metadata: Named, word?: string): Promise<KubeObject>;
}

type Named = { name: string } & Record<string, unknown>;

/** A kind of which nothing is acted on, and how a word is written into one. */
export interface Sort {
  kind: string;
  apiVersion: string;
  isCustom: boolean;
  of: (word: string) => Record<string, unknown>;
  wordIn: (object: KubeObject) => unknown;
}
export const configMaps: Sort = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  isCustom: false,
  of: (word) => ({ data: { word } }),
  wordIn: ({ data }) => (data as Record<string, string> | undefined)?.word,
};
const base64 = (text: string) => Buffer.from(text).toString('base64');
export const secrets: Sort = {
  kind: 'Secret',
  apiVersion: 'v1',
  isCustom: false,
  of: (word) => ({ data: { word: base64(word) } }),
  wordIn: ({ data }) => Buffer.from((data as Record<string, string> | undefined)?.word ?? '', 'base64').toString(),
};
export const templates: Sort = {
  kind: 'KubeadmConfigTemplate',
  apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
  isCustom: true,
  of: (word) => ({ spec: { template: { spec: { preKubeadmCommands: [word] } } } }),
  wordIn: ({ spec }) =>
    (spec as { template: { spec: { preKubeadmCommands: string[] } } } | undefined)?.template.spec.preKubeadmCommands[0],
};
export const sorts: readonly Sort[] = [configMaps, secrets, templates];

/** Of one object; the collection is without its name. */
export const placeOf = ({ kind, apiVersion }: Sort, name: string, namespace = 'default'): string =>
  `${pathOf(kind, apiVersion, namespace)}/${name}`;
export const bodyOf = (sort: Sort, metadata: object, word = 'first') => ({
  apiVersion: sort.apiVersion,
  kind: sort.kind,
  metadata,
  ...sort.of(word),
});

/** What was done by an attempt that nobody heard of. */
const doneBefore: Readonly<Record<string, number>> = { POST: 409, PUT: 409, DELETE: 404 };

export const deskOf = ({ client, draw, clock, world }: Pick<Desk, 'client' | 'draw' | 'clock' | 'world'>): Desk => {
  let names = 0;
  const expect: Desk['expect'] = (what, is, should) => {
    if (is !== should) throw new Violation('the API', `${what}: ${String(is)}, and not ${String(should)}`);
  };
  const ask: Desk['ask'] = async (method, path, code, body, contentType) => {
    const answer = await client.request(method, path, body, contentType);
    const isDone = answer.isRepeated && answer.code === doneBefore[method] && code < 300;
    if (!isDone && answer.code !== code)
      throw new Violation(
        'the API',
        `${method} ${path} is answered ${answer.code} ${answer.body.message}, and not ${code}`,
      );
    return answer.body;
  };
  const post: Desk['post'] = async (sort, metadata, word) => {
    const { namespace } = metadata as { namespace?: string };
    const place = placeOf(sort, metadata.name, namespace);
    await ask('POST', place.slice(0, place.lastIndexOf('/')), 201, bodyOf(sort, metadata, word));
    return place;
  };
  const desk: Desk = {
    client,
    draw,
    clock,
    world,
    newName: () => `thing-${names++}`,
    ask,
    expect,
    eventually: async (what, isSo, usual = promptly) => {
      const began = clock.now();
      while (!isSo()) {
        if (clock.now() - began > usual + (world.isDisturbed ? patience : 0))
          throw new Violation('collected', `${what} does not come about`);
        await sleep(clock, minute / 2);
      }
    },
    meanwhile: async (what, isSo) => {
      const until = clock.now() + draw.spread(minute, 90 * minute);
      while (clock.now() < until) {
        if (!isSo()) throw new Violation('collected', `${what} does not last`);
        await sleep(clock, minute / 2);
      }
    },
    post,
    make: async (sort, metadata, word) => ask('GET', await post(sort, metadata, word), 200),
  };
  return desk;
};
