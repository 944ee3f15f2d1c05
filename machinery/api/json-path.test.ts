import { expect, it } from 'vitest';
import { jsonPath } from './json-path.ts';

const object = {
  metadata: { labels: { 'example.com/name': 'x' }, name: 'n' },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', n: 1 },
      { type: 'Available', status: 'False' },
    ],
    list: [10, 20, 30],
  },
};

it.each([
  ['.metadata.name', ['n']],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type=='Available')].status", ['False']],
  ['.status.conditions[?(@.type!="Ready")].status', ['False']],
  ['.status.conditions[?(@.n)].type', ['Ready']],
  ['.status.conditions[?(@.n==1)].type', ['Ready']],
  ['.status.conditions[*].type', ['Ready', 'Available']],
  ['.status.list[1]', [20]],
  ['.status.list[-1]', [30]],
  ['.metadata.labels.example\\.com/name', ['x']],
  [".metadata.labels['example.com/name']", ['x']],
  ['.nothing.here[0].at.all', []],
  ['.constructor', []],
])('%s', (path, found) => expect(jsonPath(path, object)).toEqual(found));
