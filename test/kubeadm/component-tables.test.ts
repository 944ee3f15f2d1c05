import { expect, it } from 'vitest';
import { generateTables, readTables, type Tables } from '../../tools/component-tables.ts';

const kept = readTables();

/** What the tables say of one minor release. */
const ofMinor = (tables: Tables, minor: number, etcd: number) =>
  Object.fromEntries(
    Object.entries(tables).flatMap(([about, spans]) => {
      if (about === 'versions') return [];
      const at = about.startsWith('etcd') ? etcd : minor;
      const names = Object.entries(spans).flatMap(([span, listed]) => {
        const [, kind = '', first, last] = /^(?:(\w+) )?(\d+)-(\d+)$/.exec(span)!;
        return Number(first) <= at && at <= Number(last) ? listed.map((name) => `${name} ${kind}`) : [];
      });
      return [[about, names.toSorted()]];
    }),
  );

const minorOf = (version: string) => Number(version.split('.')[1]);

it('the tables say what the newest releases take', () => {
  const [kubernetes, etcd] = [kept.versions.kubernetes.at(-1)!, kept.versions.etcd.at(-1)!];
  const read = generateTables({ kubernetes: [kubernetes], etcd: [etcd] });
  const [minor, etcdMinor] = [minorOf(kubernetes), minorOf(etcd)];
  expect(ofMinor(read, minor, etcdMinor)).toEqual(ofMinor(kept, minor, etcdMinor));
});

it.runIf(process.env.CAPSTAN_TABLES === 'all')('the tables say what all releases take', () =>
  expect(generateTables(kept.versions)).toEqual(kept),
);
