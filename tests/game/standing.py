"""
A world that stands: what every test of a class finds is made once, and comes back each time.

Evennia's own base makes two accounts, two rooms and eight objects for each test anew, and takes the
garbage out after it, which takes longer than most tests. Here they are made once for a class, in
the transaction Django keeps open for it, and each test gets them as a server does after a restart:
read from the database, with nothing in any cache.

"""

from unittest import mock

import evennia
from django.conf import settings
from evennia.typeclasses.models import TypedObject
from evennia.utils.idmapper.models import SharedMemoryModel
from evennia.utils.test_resources import EvenniaCommandTest, EvenniaTestMixin


def forget_objects():
    """Have Evennia load every object anew."""
    classes = [SharedMemoryModel]
    while classes:
        one = classes.pop()
        classes.extend(one.__subclasses__())
        if one is not SharedMemoryModel and hasattr(one, "__dbclass__"):
            one.flush_instance_cache(force=True)


class StandingTest(EvenniaCommandTest):
    """Evennia's test of commands, in a world that stands; `stand` makes more of it."""

    #: Model and primary key of what stands, by the name of the test's attribute.
    made_once = {}

    @classmethod
    def setUpTestData(cls):
        super().setUpTestData()
        maker = cls()
        with mock.patch("evennia.scripts.taskhandler.deferLater"):
            EvenniaTestMixin.create_accounts(maker)
            EvenniaTestMixin.create_rooms(maker)
            EvenniaTestMixin.create_objs(maker)
            EvenniaTestMixin.create_chars(maker)
            EvenniaTestMixin.create_script(maker)
            maker.stand()
        cls.made_once = {
            name: (made.__dbclass__, made.pk)
            for name, made in vars(maker).items()
            if isinstance(made, TypedObject)
        }

    def stand(self):
        """Make what stands besides, as attributes of the test."""

    def create_accounts(self):
        """Take everything that stands."""
        forget_objects()
        for name, (model, key) in self.made_once.items():
            setattr(self, name, model.objects.get(pk=key))

    def create_rooms(self):
        """They stand."""

    create_objs = create_chars = create_script = create_rooms

    def tearDown(self):
        handler = evennia.SESSION_HANDLER
        handler.data_out, handler.disconnect = self.backups[:2]
        settings.DEFAULT_HOME, settings.PROTOTYPE_MODULES = self.backups[2:]
        del handler[self.session.sessid]
        # What Evennia's own does next, it does for want of the transaction that is rolled back now.
        super(EvenniaTestMixin, self).tearDown()
