/** A client that checks each answer against what Kubernetes would answer. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type Clock, sleep } from '../../../../machinery/ports.ts';
import { type Answer, type Client, pathOf } from '../../clients/client.ts';
import type { Dice } from '../../dice.ts';
import { Violation } from '../../invariants/rule.ts';
import type { World } from '../../site.ts';
import { resyncTimeout } from '../progress.ts';

const minute = 60_000;
/** The time for an effect without faults and without waiting for a resync. */
const promptly = 10 * minute;

export interface Session {
  client: Client;
  draw: Dice;
  clock: Clock;
  world: World;
  /** A name that is not taken. */
  newName(): string;
  /**
   * Fails unless the answer has this code. After a repeated attempt, the code for a request that
   * already took effect is accepted too.
   */
  ask(method: string, path: string, code: number, body?: unknown, contentType?: string): Promise<Answer['body']>;
  expect(what: string, is: unknown, should: unknown): void;
  /** Fails unless it becomes true in time. `undisturbed` limits the time without faults. */
  eventually(what: string, isSo: () => boolean, undisturbed?: number): Promise<void>;
  /** Fails if it becomes false. */
  meanwhile(what: string, isSo: () => boolean): Promise<void>;
  /** Creates the object and returns its path, even when the object may be gone by then. */
  post(sort: Sort, metadata: Named, word?: string): Promise<string>;
  make(sort: Sort, metadata: Named, word?: string): Promise<KubeObject>;
}

type Named = { name: string } & Record<string, unknown>;

/** A kind without effects, and how a text is written into its objects. */
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

/** The path of an object; without a name, that of the collection. */
export const placeOf = ({ kind, apiVersion }: Sort, name: string, namespace = 'default'): string =>
  `${pathOf(kind, apiVersion, namespace)}/${name}`;
export const bodyOf = (sort: Sort, metadata: object, word = 'first') => ({
  apiVersion: sort.apiVersion,
  kind: sort.kind,
  metadata,
  ...sort.of(word),
});

/** The answers when an earlier attempt with a lost answer took effect. */
const doneBefore: Readonly<Record<string, number>> = { POST: 409, PUT: 409, DELETE: 404 };

export const sessionOf = ({
  client,
  draw,
  clock,
  world,
}: Pick<Session, 'client' | 'draw' | 'clock' | 'world'>): Session => {
  let names = 0;
  const expect: Session['expect'] = (what, is, should) => {
    if (is !== should) throw new Violation('the API', `${what}: ${String(is)}, not ${String(should)}`);
  };
  const ask: Session['ask'] = async (method, path, code, body, contentType) => {
    const answer = await client.request(method, path, body, contentType);
    const isDone = answer.isRepeated && answer.code === doneBefore[method] && code < 300;
    if (!isDone && answer.code !== code)
      throw new Violation(
        'the API',
        `${method} ${path} is answered ${answer.code} ${answer.body.message}, not ${code}`,
      );
    return answer.body;
  };
  const post: Session['post'] = async (sort, metadata, word) => {
    const { namespace } = metadata as { namespace?: string };
    const place = placeOf(sort, metadata.name, namespace);
    await ask('POST', place.slice(0, place.lastIndexOf('/')), 201, bodyOf(sort, metadata, word));
    return place;
  };
  const session: Session = {
    client,
    draw,
    clock,
    world,
    newName: () => `thing-${names++}`,
    ask,
    expect,
    eventually: async (what, isSo, undisturbed = promptly) => {
      const began = clock.now();
      while (!isSo()) {
        if (clock.now() - began > undisturbed + (world.isDisturbed ? resyncTimeout : 0))
          throw new Violation('collected', `timed out: ${what}`);
        await sleep(clock, minute / 2);
      }
    },
    meanwhile: async (what, isSo) => {
      const until = clock.now() + draw.spread(minute, 90 * minute);
      while (clock.now() < until) {
        if (!isSo()) throw new Violation('collected', `no longer so: ${what}`);
        await sleep(clock, minute / 2);
      }
    },
    post,
    make: async (sort, metadata, word) => ask('GET', await post(sort, metadata, word), 200),
  };
  return session;
};
