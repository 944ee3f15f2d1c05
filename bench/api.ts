/**
 * How fast the API answers: by verb and number of objects, called as a function and over HTTPS; or, with --beside, under the
 * same loads as another API server.
 */
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '100,1000' },
    calls: { type: 'string', default: '1000' },
    concurrency: { type: 'string', default: '16' },
    /** A kubeconfig of another API server. */
    beside: { type: 'string' },
    /** Processes of that server beside the one that listens, such as its etcd. */
    'beside-pids': { type: 'string', default: '' },
    /** Of a Capstan that runs already; by default one is started on an empty directory. */
    kubeconfig: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});

const { beside, kubeconfig, json, 'beside-pids': pids } = values;
const [calls, concurrency, rounds] = [values.calls, values.concurrency, values.rounds].map(Number) as [
  number,
  number,
  number,
];
const objects = values.objects.split(',').map(Number);

if (beside === undefined) {
  const { timeClients } = await import('./api/timings.ts');
  await timeClients({ objects, calls, concurrency, json });
} else {
  const { printComparison } = await import('./api/comparison.ts');
  const besidePids = pids.split(',').filter(Boolean).map(Number);
  await printComparison({
    beside,
    besidePids,
    kubeconfig,
    objects: Math.max(...objects),
    calls,
    concurrency,
    rounds,
    json,
  });
}
process.exit();
