import { ssm } from '../../adapters/aws/lambda/clients.ts';
import { parameterMarker } from '../../adapters/aws/marker/parameter.ts';
import type { BaseEnvironment } from '../environment.ts';

export const markerOf = ({ INSTALLATION }: BaseEnvironment) =>
  parameterMarker({ client: ssm(), installation: INSTALLATION });
