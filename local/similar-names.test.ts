import { expect, it } from 'vitest';
import { nearest } from './similar-names.ts';

const names = ['RunInstances', 'TerminateInstances', 'DescribeInstances', 'CreateVpc', 'CreateSubnet'];
it.each([
  { meant: 'RunInstance', is: ['RunInstances'] },
  { meant: 'runinstances', is: ['RunInstances'] },
  { meant: 'CraeteVpc', is: ['CreateVpc'] },
  { meant: 'Instances', is: ['RunInstances', 'DescribeInstances', 'TerminateInstances'] },
  { meant: 'PutObject', is: [] },
])('suggests $is for $meant', ({ meant, is }) => expect(nearest(names, meant)).toEqual(is));
