/** Validates the metadata options of an instance. */
import type { CloudInput } from '../../kinds/ports/cloud/index.ts';
import { refuse } from './errors.ts';

type Options = NonNullable<CloudInput<'RunInstances'>['MetadataOptions']>;

export const checkMetadata = ({ HttpEndpoint, ...others }: Options): void => {
  if (HttpEndpoint === 'disabled' && Object.values(others).some((value) => value !== undefined))
    refuse('InvalidParameterCombination', 'Metadata options may not be specified unless HttpEndpoint is enabled.');
};
