/**
 * The part of Kubernetes' CEL library that the field's schemas use. Regular expressions are RE2.
 */
import type { Environment } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { isCidr, isIp } from '../../api/cidr.ts';

type Comparable = string | number | bigint;
const numbers = (list: unknown[]): (number | bigint)[] => list as (number | bigint)[];
const ordered = (list: Comparable[]) => list.every((item, i) => i === 0 || list[i - 1]! <= item);
const extreme = (list: Comparable[], better: (a: Comparable, b: Comparable) => boolean): Comparable => {
  if (list.length === 0) throw new Error('called on empty list');
  return list.reduce((best, item) => (better(item, best) ? item : best));
};
const place = (list: unknown[], wanted: unknown, from: 'indexOf' | 'lastIndexOf') => BigInt(list[from](wanted));

/** Registers the functions in an environment and returns it. */
export const registerLibrary = (environment: Environment): Environment =>
  environment
    .registerFunction('list.isSorted(): bool', (list: Comparable[]) => ordered([...list]))
    .registerFunction('list.sum(): dyn', (list: unknown[]) =>
      numbers([...list]).reduce(
        (sum, n) => (typeof n === 'bigint' ? BigInt(sum) + n : Number(sum) + n),
        0n as number | bigint,
      ),
    )
    .registerFunction('list.min(): dyn', (list: Comparable[]) => extreme([...list], (a, b) => a < b))
    .registerFunction('list.max(): dyn', (list: Comparable[]) => extreme([...list], (a, b) => a > b))
    .registerFunction('list.indexOf(dyn): int', (list: unknown[], wanted: unknown) =>
      place([...list], wanted, 'indexOf'),
    )
    .registerFunction('list.lastIndexOf(dyn): int', (list: unknown[], wanted: unknown) =>
      place([...list], wanted, 'lastIndexOf'),
    )
    .registerFunction('string.find(string): string', (text: string, pattern: string) => {
      const found = RE2JS.compile(pattern).matcher(text);
      return found.find() ? (found.group() ?? '') : '';
    })
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => {
      const found = RE2JS.compile(pattern).matcher(text);
      const all: string[] = [];
      while (found.find()) all.push(found.group() ?? '');
      return all;
    })
    .registerFunction('isIP(string): bool', (text: string) => isIp(text))
    .registerFunction('isCIDR(string): bool', (text: string) => isCidr(text))
    .registerFunction('isURL(string): bool', (text: string) => URL.canParse(text));
