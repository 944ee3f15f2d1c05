const keys = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];

/**
 * Makes this process, and those that it starts, choose credentials as the AWS CLI does: a profile that was typed comes
 * before keys in the environment, and these before AWS_PROFILE. Answers the profile that is used, if one is.
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
