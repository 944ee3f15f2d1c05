const keys = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];

/**
 * Selects credentials as the AWS CLI does, for this process and its children: a given profile precedes keys
 * in the environment, which precede AWS_PROFILE. Returns the profile in use, if any.
 */
export const chooseProfile = (typed: string | undefined): string | undefined => {
  if (typed) {
    for (const key of keys) delete process.env[key];
    process.env.AWS_PROFILE = typed;
  } else if (process.env.AWS_ACCESS_KEY_ID && process.env.AWS_SECRET_ACCESS_KEY) {
    delete process.env.AWS_PROFILE;
  }
  return process.env.AWS_PROFILE;
};
