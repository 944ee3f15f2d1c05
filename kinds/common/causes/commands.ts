/** Commands that a user can copy. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';

const inNamespace = ({ metadata: { namespace } }: KubeObject): string => (namespace ? ` -n ${namespace}` : '');

/** `kubectl VERB KIND NAME -n NAMESPACE REST`. */
export const kubectl = (verb: string, object: KubeObject, rest = ''): string =>
  `kubectl ${verb} ${object.kind.toLowerCase()} ${object.metadata.name}${inNamespace(object)}${rest && ` ${rest}`}`;

export const mergePatch = (object: KubeObject, patch: object): string =>
  kubectl('patch', object, `--type merge -p '${JSON.stringify(patch)}'`);

export const withoutAnnotation = (object: KubeObject, annotation: string): string =>
  kubectl('annotate', object, `${annotation}-`);

/** `capstan WORDS NAME -n NAMESPACE`. */
export const capstan = (args: string, object: KubeObject): string =>
  `capstan ${args} ${object.metadata.name}${inNamespace(object)}`;

/** The commands that a message tells its reader to run. */
export const commandsIn = (message: string): string[] =>
  [...message.matchAll(/(?:: |; )((?:kubectl|capstan|aws) (?:(?!\. [A-Z]|; |, or |\n|\)$).)+)/g)].map(
    ([, command = '']) => command.trim().replace(/[.,;]$/, ''),
  );
