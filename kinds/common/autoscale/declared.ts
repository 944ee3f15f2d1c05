/** Labels and taints as text, of kubelets' flags and of annotations that declare a pool's nodes. Pure. */
import { isQualifiedName } from '../../../machinery/api/labels.ts';

export type TextTaint = { key: string; value?: string; effect: string };

/** `key=value,…` */
export const pairs = (text: string): [string, string][] =>
  text
    .split(',')
    .filter((pair) => pair.includes('='))
    .map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), pair.slice(pair.indexOf('=') + 1).trim()]);

/** `key=value:effect,…`, where a taint without a value has no equals sign. */
export const taintsIn = (text: string): TextTaint[] =>
  text.split(',').flatMap((one) => {
    const [, key, value, effect] = /^\s*([^=:\s]+)(?:=([^:]*))?:(\S+?)\s*$/.exec(one) ?? [];
    return key === undefined ? [] : [{ key, ...(value && { value }), effect: effect! }];
  });

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const parts = (text: string): string[] => text.split(',').filter((part) => part.trim() !== '');

export const labelsRule = 'must be labels with commas between them, such as disk=ssd,example.com/team=red';
export const areLabels = (text: string): boolean =>
  parts(text).every((part) => pairs(part).length === 1 && isQualifiedName(pairs(part)[0]![0]));

export const taintsRule = `must be taints with commas between them, such as team=red:NoSchedule; effects are ${effects.join(', ')}`;
export const areTaints = (text: string): boolean =>
  parts(text).every((part) => {
    const [taint] = taintsIn(part);
    return taint !== undefined && isQualifiedName(taint.key) && effects.includes(taint.effect);
  });
