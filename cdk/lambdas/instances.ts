import { controllers } from '../../wiring.ts';
import { defineLambda } from './lambda.ts';

export const instances = defineLambda({
  entry: 'instances.ts',
  does: 'wakes who launched an instance whose state changed',
  megabytes: 512,
  isAsync: true,
  seconds: 30,
  kilobytes: { atOnce: 176, all: 2340 },

  uses: {
    // A notice that EC2 does not repeat becomes an annotation.
    objects: { types: ['awsmachines.infrastructure.cluster.x-k8s.io'] },
    work: 'write',
    wakes: [controllers['aws-machine'].worker],
  },
});
