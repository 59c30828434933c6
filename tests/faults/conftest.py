"""These suites have worlds of their own, each in a database of its own."""

import pytest


@pytest.fixture(scope="package", autouse=True)
def a_database(django_db_setup, django_db_blocker):
    """Access to a database, outside of any transaction: a process that dies takes its own along."""
    with django_db_blocker.unblock():
        yield
