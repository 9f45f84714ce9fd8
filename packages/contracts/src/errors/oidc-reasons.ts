/** Reasons of signing in through an identity provider; a part of `platformReasons`. */
export const oidcReasons = {
  OIDC_NOT_CONFIGURED: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "Sign-in through an identity provider is not set up.",
    remedy: "Sign in with a password, or have the operator set PLATFORM_OIDC_ISSUER and what belongs to it.",
    retryable: false,
  },
  OIDC_UNAVAILABLE: {
    code: "unavailable",
    sentence: "The identity provider does not answer.",
    remedy: "Try again; if it lasts, have the operator check the platform's log for this request.",
    retryable: true,
  },
  OIDC_REQUEST_UNKNOWN: {
    code: "unauthenticated",
    sentence: "This sign-in was not started in this browser, took longer than ten minutes or has ended already.",
    remedy: "Start the sign-in again.",
    retryable: false,
  },
  OIDC_USER_REFUSED: {
    code: "unauthenticated",
    sentence: "No user who may sign in here has the identity, or the confirmed e-mail address, that the provider told.",
    remedy: "Ask an administrator to add you with the e-mail address that you have at the identity provider.",
    retryable: false,
  },
  OIDC_FAILED: {
    code: "unauthenticated",
    sentence: "The identity provider did not confirm who you are.",
    remedy: "Start the sign-in again; if it fails again, have the operator check the platform's log for this request.",
    retryable: true,
  },
} as const;
